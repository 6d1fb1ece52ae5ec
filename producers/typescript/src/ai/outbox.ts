/** Commands on their way: what a service that is away did not take waits here, within bounds, and goes first. */

import { ServiceAwayError, YggdrasilError } from "../errors.ts";
import { uuid7 } from "../ids.ts";
import type { Memory } from "../memory.ts";
import type { Answer, Command } from "../shapes.ts";

const WAITING_MAX = 32; // of at most some 25,000 bytes each: they fit into one batch

export class Outbox {
  readonly #memory: Memory;
  readonly #lost: (error: YggdrasilError) => void;
  #waiting: Command[] = [];

  /** `lost` is told of what could not be kept. */
  constructor(memory: Memory, lost: (error: YggdrasilError) => void) {
    this.#memory = memory;
    this.#lost = lost;
  }

  /** Append what waits, and then `commands`; return the answers to these. Throws what the memory throws. */
  async send(commands: readonly Command[], signal: AbortSignal): Promise<readonly Answer[]> {
    const said = commands.map((command) => ({ ...command, id: command.id ?? uuid7() }));
    const sent = [...this.#waiting, ...said];
    this.#waiting = []; // nobody else is to send them meanwhile
    try {
      return (await this.#memory.appendMany(sent, { signal })).slice(-said.length);
    } catch (error) {
      // They have ids, so that what did arrive is taken once.
      if (error instanceof ServiceAwayError || signal.aborted) this.#keep(sent);
      throw error;
    }
  }

  #keep(sent: readonly Command[]): void {
    const all = [...sent, ...this.#waiting];
    this.#waiting = all.slice(-WAITING_MAX);
    const lost = all.length - this.#waiting.length;
    if (lost) {
      this.#lost(
        new YggdrasilError(`${lost} commands are lost: the service has been away for longer than ${WAITING_MAX} of them`),
      );
    }
  }
}
