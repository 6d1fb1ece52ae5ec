/** Middleware of the AI SDK: before a call it recalls, after it it records, and a memory that is away stops neither. */

import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";

import { RefusedError, ServiceError } from "../errors.ts";
import { uuid7 } from "../ids.ts";
import type { Memory } from "../memory.ts";
import { within } from "../sending.ts";
import type { Answer, Command, Prompt, Where } from "../shapes.ts";
import { Outbox } from "./outbox.ts";
import { cited, type Done, inWords, lastAsked, type Params, perCall, remembering, since, withMetadata } from "./prompts.ts";
import type { StreamPart } from "./prompts.ts";
import { MEMORY_TOOLS } from "./tools.ts";
import { kindsOf } from "./utterance.ts";

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
  /** Who writes what the model is asked: what a person asks is always searched, a loop's own questions are not. */
  readonly asker?: "person" | "loop";
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
  /** Whether this is a further step of an answer, the tools that it has called, and what the memory's own gave. */
  readonly goesOn: boolean;
  readonly tools: readonly string[];
  readonly recalled: readonly string[];
}

/** What is recorded of a call: its words, and whether they tell something, which alone is searched. */
interface Said {
  readonly text: string;
  readonly tells: boolean;
}

const NOTHING: Recalled = { asked: "", prompt: null, goesOn: false, tools: [], recalled: [] };
const KEPT_MAX = 100;
const FEATURES_MAX = 32;

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
    this.#calls.set(changed, { asked: asked.text, prompt, goesOn, ...since(params, asked.place, MEMORY_TOOLS) });
    return changed;
  }

  async after(params: Params, did: Omit<Done, "asked">): Promise<Recorded> {
    const before = this.#calls.get(params) ?? NOTHING;
    const recall = before.prompt?.recall_id ?? null;
    const used = before.prompt === null ? [] : cited(before.prompt, did.answered);
    const said = { event: null, recall, cited: used };
    const commands: Command[] = this.#worth(did, before).map((each, place, all) => {
      const done = place === all.length - 1;
      return this.#event(each, done ? recall : null, done ? [...before.tools, ...did.calls.map(({ tool }) => tool)] : [], params);
    });
    const event = commands.at(-1)?.id ?? null;
    if (recall !== null && used.length) commands.push({ type: "report_use", at: Date.now(), body: { recall, used } });
    if (!commands.length) return said;
    try {
      this.#check(await this.#bound(undefined, (signal) => this.#outbox.send(commands, signal)));
      return { ...said, event };
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
      const found = await this.#bound(params.abortSignal, (signal) => this.#memory.getPrompt(query, { ...asking, signal }));
      return Object.keys(found.refs).length ? found : null;
    } catch (error) {
      if (error instanceof ServiceError && error.problem === "unknown_memory") return null; // it begins with this call
      this.#options.onError?.(error, "recall");
      return null;
    }
  }

  /**
   * What is recorded, what was done last. What the model said that tells nothing new stands by itself, since what the
   * user said is searched: it comes before it, once for all steps of an answer.
   */
  #worth(did: Omit<Done, "asked">, before: Recalled): Said[] {
    const { record = true, asker = "person" } = this.#options;
    const done = { asked: before.asked, ...did };
    if (record === false || !(did.answered || did.calls.length)) return [];
    if (record !== true) {
      const text = record(done);
      return text === null ? [] : [{ text, tells: true }];
    }
    if (!isTalk(did, before)) return [{ text: inWords(done), tells: true }];
    if (before.goesOn || !done.asked || (asker === "loop" && kindsOf(done.asked) !== null)) {
      return [{ text: inWords(done), tells: false }];
    }
    return [{ text: done.asked, tells: true }, { text: inWords({ ...done, asked: "" }), tells: false }];
  }

  #event(said: Said, recall: string | null, tools: readonly string[], params: Params): Command {
    const session = this.#session(params);
    const features = [...(this.#options.features ?? []), ...(perCall(params).features ?? [])];
    const room = Math.max(0, FEATURES_MAX - features.length);
    const called = [...new Set(tools)].slice(0, room).map((tool) => `tool:${tool}`);
    return {
      type: "record_event",
      id: uuid7(),
      at: Date.now(),
      ...(session === undefined ? {} : { session }),
      body: {
        features: [...features, ...called],
        informed_by: recall === null ? [] : [recall],
        ...(said.tells ? {} : { note: "utterance" }),
      },
      content: { text: said.text },
    };
  }

  #session(params: Params): string | undefined {
    return perCall(params).session ?? this.#options.session;
  }

  #bound<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return within(this.#options.timeout_ms ?? 1_000, signal, work);
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

/** Whether a call did nothing but say what tells nothing new, or call tools: what a tool has done is told at the end. */
function isTalk(did: Omit<Done, "asked">, before: Recalled): boolean {
  const tools = [...before.tools, ...did.calls.map(({ tool }) => tool)];
  const recalled = [...(before.prompt === null ? [] : [before.prompt.text]), ...before.recalled];
  const kinds = kindsOf(did.answered, recalled, new Set(tools));
  if (kinds === null || did.calls.length) return kinds !== null;
  return tools.every((tool) => MEMORY_TOOLS.has(tool)) || [...kinds].every((kind) => kind === "refusal");
}
