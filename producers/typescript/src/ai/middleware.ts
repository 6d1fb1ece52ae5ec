/** Middleware of the AI SDK: before a call it recalls, after it it records, and a memory that is away stops neither. */

import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";

import { RefusedError, ServiceError } from "../errors.ts";
import { uuid7 } from "../ids.ts";
import type { Memory } from "../memory.ts";
import type { Answer, Command, Prompt, Where } from "../shapes.ts";
import { Outbox } from "./outbox.ts";
import { cited, type Done, inWords, lastAsked, type Params, perCall, remembering, withMetadata } from "./prompts.ts";
import type { StreamPart } from "./prompts.ts";

export interface Remembering {
  /** How many tokens of what is remembered come into a prompt at most, of four characters each: 1,000. */
  readonly tokens_max?: number;
  /** The session of what is asked and recorded, unless a call names one: `providerOptions: { yggdrasil: { session } }`. */
  readonly session?: string;
  /** The features of what is recorded; those of a call, if it names any, come after them. */
  readonly features?: readonly string[];
  /** What is recalled is put to this part of the memory alone. */
  readonly where?: Where;
  /** For how long a call waits for its memory, before it and after it: 1,000 ms each. */
  readonly timeout_ms?: number;
  /** Whether what was done is recorded, or what of it: the text of the event, or null for none. */
  readonly record?: boolean | ((done: Done) => string | null);
  /** Is told what went wrong; the call goes on. */
  readonly onError?: (error: unknown, during: "recall" | "record") => void;
}

/** What a call has under `providerMetadata.yggdrasil`: the event that was recorded, its recall, and what it cited. */
export type Recorded = {
  readonly event: string | null;
  readonly recall: string | null;
  readonly cited: string[];
};

type Wrapping = Parameters<typeof wrapLanguageModel>[0];

interface Recalled {
  readonly asked: string;
  readonly prompt: Prompt | null;
}

const KEPT_MAX = 100;

/** Wrap a model, so that it remembers. `memoryMiddleware` is for whoever has other middleware too. */
export function withMemory(
  model: Wrapping["model"],
  memory: Memory,
  options: Remembering = {},
): ReturnType<typeof wrapLanguageModel> {
  return wrapLanguageModel({ model, middleware: memoryMiddleware(memory, options) });
}

/**
 * Middleware for `wrapLanguageModel`. Before a call it recalls for what the user said last, and puts that before it,
 * marked as records; the further steps of a loop of tools have the same recall. After the call it records what was
 * done, as informed by the recall, and reports the labels that were cited as used.
 */
export function memoryMiddleware(memory: Memory, options: Remembering = {}): LanguageModelMiddleware {
  const keeper = new Keeper(memory, options);
  return {
    specificationVersion: "v4",
    transformParams: ({ params }) => keeper.before(params),
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      const answered = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      const calls = result.content.flatMap((part) =>
        part.type === "tool-call" ? [{ tool: part.toolName, input: part.input }] : [],
      );
      const recorded = await keeper.after(params, { answered, calls, finish: result.finishReason.unified });
      return { ...result, providerMetadata: withMetadata(result.providerMetadata, recorded) };
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      let answered = "";
      const calls: { tool: string; input: string }[] = [];
      const recording = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          if (part.type === "text-delta") answered += part.delta;
          if (part.type === "tool-call") calls.push({ tool: part.toolName, input: part.input });
          if (part.type !== "finish") return controller.enqueue(part);
          const recorded = await keeper.after(params, { answered, calls, finish: part.finishReason.unified });
          controller.enqueue({ ...part, providerMetadata: withMetadata(part.providerMetadata, recorded) });
        },
      });
      return { stream: stream.pipeThrough(recording), ...rest };
    },
  };
}

/** What goes with calls from before them to after them, and what one question recalled for all steps of its answer. */
class Keeper {
  readonly #memory: Memory;
  readonly #options: Remembering;
  readonly #outbox: Outbox;
  readonly #calls = new WeakMap<Params, Recalled>();
  readonly #answers = new Map<string, Prompt | null>();

  constructor(memory: Memory, options: Remembering) {
    this.#memory = memory;
    this.#options = options;
    this.#outbox = new Outbox(memory, (error) => options.onError?.(error, "record"));
  }

  async before(params: Params): Promise<Params> {
    const asked = lastAsked(params);
    if (asked === null) return params;
    const goesOn = asked.place < params.prompt.length - 1;
    const place = JSON.stringify([perCall(params).session ?? null, asked.text]);
    const known = goesOn ? this.#answers.get(place) : undefined;
    const prompt = known === undefined ? await this.#recall(asked.text, params) : known;
    this.#keep(place, prompt);
    const changed = prompt === null ? { ...params } : remembering(params, asked.place, prompt);
    this.#calls.set(changed, { asked: asked.text, prompt });
    return changed;
  }

  async after(params: Params, did: Omit<Done, "asked">): Promise<Recorded> {
    const { asked = "", prompt = null } = this.#calls.get(params) ?? {};
    const recall = prompt?.recall_id ?? null;
    const used = prompt === null ? [] : cited(prompt, did.answered);
    const said = { event: null, recall, cited: used };
    const text = this.#worth({ asked, ...did });
    const commands: Command[] = [];
    const event = uuid7();
    const at = Date.now();
    if (text !== null) commands.push(this.#event(event, text, at, recall, params));
    if (recall !== null && used.length) commands.push({ type: "report_use", at, body: { recall, used } });
    if (!commands.length) return said;
    try {
      this.#check(await this.#outbox.send(commands, this.#ending(undefined)));
      return text === null ? said : { ...said, event };
    } catch (error) {
      this.#options.onError?.(error, "record");
      return said;
    }
  }

  async #recall(query: string, params: Params): Promise<Prompt | null> {
    const { tokens_max = 1_000, where } = this.#options;
    const session = this.#session(params);
    const asking = { tokens_max, ...(where ? { where } : {}), ...(session === undefined ? {} : { session }) };
    try {
      const found = await this.#memory.getPrompt(query, { ...asking, signal: this.#ending(params.abortSignal) });
      return Object.keys(found.refs).length ? found : null;
    } catch (error) {
      if (error instanceof ServiceError && error.problem === "unknown_memory") return null; // it begins with this call
      this.#options.onError?.(error, "recall");
      return null;
    }
  }

  #worth(done: Done): string | null {
    const { record = true } = this.#options;
    if (record === false || !(done.answered || done.calls.length)) return null;
    return record === true ? inWords(done) : record(done);
  }

  #event(id: string, text: string, at: number, recall: string | null, params: Params): Command {
    const session = this.#session(params);
    const features = [...(this.#options.features ?? []), ...(perCall(params).features ?? [])];
    return {
      type: "record_event",
      id,
      at,
      ...(session === undefined ? {} : { session }),
      body: { features, informed_by: recall === null ? [] : [recall] },
      content: { text },
    };
  }

  #session(params: Params): string | undefined {
    return perCall(params).session ?? this.#options.session;
  }

  #ending(signal: AbortSignal | undefined): AbortSignal {
    const late = AbortSignal.timeout(this.#options.timeout_ms ?? 1_000);
    return signal ? AbortSignal.any([signal, late]) : late;
  }

  #check(answers: readonly Answer[]): void {
    for (const answer of answers) if (answer.accepted === false) throw new RefusedError(answer);
  }

  #keep(place: string, prompt: Prompt | null): void {
    this.#answers.delete(place);
    this.#answers.set(place, prompt);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > KEPT_MAX && oldest !== undefined) this.#answers.delete(oldest);
  }
}
