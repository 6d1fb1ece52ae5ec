/** One memory of a service, `tenant/agent`: what an agent says to it and asks of it. */

import createClient, { type Client } from "openapi-fetch";

import { InvalidError, problemOf, RefusedError, ServiceAwayError, ServiceError } from "./errors.ts";
import { uuid7 } from "./ids.ts";
import type { paths } from "./openapi.ts";
import { patient, type Send } from "./sending.ts";
import type * as shapes from "./shapes.ts";

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const BATCH_MAX = 100;

export interface Connecting {
  /** The memory, `tenant/agent`. */
  readonly memory: string;
  /** A key of `yggdrasil key new`; without it that in YGGDRASIL_KEY, if there is one. */
  readonly key?: string | undefined;
  /** For how long a request is sent again while the service is busy (429, 503): 30,000 ms. */
  readonly patience_ms?: number;
  /** For how long an answer is waited for: 60,000 ms. */
  readonly timeout_ms?: number;
  /** What sends a request, unless that is the `fetch` of the platform. */
  readonly fetch?: Send;
}

interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Use a memory of the service at `url`. It is connected to when it is needed. Throws InvalidError. */
export function connect(url: string, connecting: Connecting): Memory {
  return new Memory(url, connecting);
}

/**
 * A memory. Everything that appends returns where it stands, once that is durable and folded, and throws RefusedError
 * when the memory does not take it. Everything throws ServiceError for a problem, AccessError for one with the key, and
 * ServiceAwayError when no service answers.
 */
export class Memory {
  /** Its name, `tenant/agent`. */
  readonly name: string;
  /** Every route of the service, typed: for what has no method here. `path` is what its parameters begin with. */
  readonly service: Client<paths>;
  readonly path: { readonly tenant: string; readonly agent: string };
  readonly #url: string;

  constructor(url: string, connecting: Connecting) {
    const { memory, patience_ms = 30_000, timeout_ms = 60_000 } = connecting;
    if (!NAME.test(memory)) {
      throw new InvalidError(`${JSON.stringify(memory)} names no memory: give tenant/agent, such as "me/agent"`);
    }
    if (!/^https?:\/\//.test(url)) {
      throw new InvalidError(`${JSON.stringify(url)} is no address of a service: give one such as http://127.0.0.1:8787`);
    }
    const key = usable(connecting.key ?? environment("YGGDRASIL_KEY"));
    const [tenant = "", agent = ""] = memory.split("/");
    this.name = memory;
    this.path = { tenant, agent };
    this.#url = url.replace(/\/+$/, "");
    this.service = createClient<paths>({
      baseUrl: this.#url,
      fetch: patient(connecting.fetch ?? ((request) => fetch(request)), patience_ms, timeout_ms),
      ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }),
    });
  }

  /**
   * Record that something happened. The laws read `features`; `informed_by` are the recalls that led to it. Throws
   * InvalidError for a text that says nothing, before anything is sent.
   */
  async recordEvent(text: string, said: shapes.EventSaid = {}): Promise<shapes.Taken> {
    if (!saysSomething(text)) throw new InvalidError("there is nothing to record: give a text that says what happened");
    const { features, informed_by, caused_by, key, supersedes, note, payload, vector, name, aliases, rationale } = said;
    return this.append(
      {
        type: "record_event",
        ...saying(said),
        body: given({ features, informed_by, caused_by, key, supersedes, note }),
        content: given({ text, payload, vector, name, aliases, rationale }),
      },
      said,
    );
  }

  /** Say how an event or episode turned out: `value` in [-10, 10]. */
  logOutcome(event: string, value: number, said: shapes.OutcomeSaid = {}): Promise<shapes.Taken> {
    const { kind, trajectory, catastrophic, text } = said;
    return this.append(
      {
        type: "log_outcome",
        ...saying(said),
        body: { event, value, ...given({ kind, trajectory, catastrophic }) },
        ...(text == null ? {} : { content: { text } }),
      },
      said,
    );
  }

  /** Say which memories of an answer were really used: by an answer's `recall_id`, and references. */
  reportUse(recall: string, used: readonly string[], said: shapes.UseSaid = {}): Promise<shapes.Taken> {
    const { result, helpful, prevented_error } = said;
    const body = { recall, used: [...used], ...given({ result, helpful, prevented_error }) };
    return this.append({ type: "report_use", ...saying(said), body }, said);
  }

  /** Record `text` in place of `old`. */
  supersede(old: string, text: string, said: shapes.EventSaid = {}): Promise<shapes.Taken> {
    return this.recordEvent(text, { ...said, supersedes: old });
  }

  /** Say that a memory does not hold, and why; it is in no default answer any more. */
  withdraw(ref: string, reason: string, said: shapes.Saying = {}): Promise<shapes.Taken> {
    return this.judge({ [ref]: "reject" }, reason, said);
  }

  /** Say that an open question or a problem is settled. */
  resolve(ref: string, reason = "resolved", said: shapes.Saying = {}): Promise<shapes.Taken> {
    return this.judge({ [ref]: "resolve" }, reason, said);
  }

  /** Let a memory stand again, whatever took it out. */
  reinstate(ref: string, reason = "reinstated", said: shapes.Saying = {}): Promise<shapes.Taken> {
    return this.judge({ [ref]: "release" }, reason, said);
  }

  /** Give 1 to 64 references a verdict each: all take effect, or none. */
  judge(
    verdicts: Readonly<Record<string, shapes.Verdict>>,
    reason: string,
    said: shapes.Saying & { readonly evidence?: string[] } = {},
  ): Promise<shapes.Taken> {
    const items = Object.entries(verdicts).map(([node, verdict]) => ({ node, verdict }));
    const body = { items, reason, ...given({ evidence: said.evidence }) };
    return this.append({ type: "judge", ...saying(said), body }, said);
  }

  /**
   * Say that a thing has a value: `{ entity: "city:oslo" }`, `{ decimal: "12.5" }`, `{ flag: true }`, or `{ text: "..." }`
   * for any other. Throws InvalidError for a text that says nothing.
   */
  async assertClaim(
    subject: string,
    predicate: string,
    object: shapes.ClaimObject | shapes.ClaimText,
    said: shapes.ClaimSaid = {},
  ): Promise<shapes.Taken> {
    if ("text" in object && !saysSomething(object.text)) {
      throw new InvalidError("the value of the claim is an empty text: give the text, or withdraw the claim");
    }
    const { claim_class, qualifiers, confidence, valid_from, valid_to, evidence, supersedes, candidate, text } = said;
    const more = given({ claim_class, qualifiers, confidence, valid_from, valid_to, evidence, supersedes, candidate });
    return this.append(
      {
        type: "assert_claim",
        ...saying(said),
        body: { subject, predicate, object: object as shapes.ClaimObject, ...more }, // of a text the service makes one
        ...(text == null ? {} : { content: { text } }),
      },
      said,
    );
  }

  /** Append a command as the service takes it. It is sent with an id, so sending it again is safe. */
  async append(command: shapes.Command, calling: shapes.Calling = {}): Promise<shapes.Taken> {
    const sent = identified(command);
    const answer = await this.#answered(
      (signal) => this.service.POST(`${MEMORY}/commands`, { params: { path: this.path }, body: sent, ...signal }),
      calling.signal,
      [sent],
    );
    if (answer.accepted === false) throw new RefusedError(answer);
    return { id: answer.id, receipt: answer.receipt, seq: answer.seq };
  }

  /** Append up to 100 commands in order. Each is answered: `accepted` says whether the memory took it. */
  async appendMany(commands: readonly shapes.Command[], calling: shapes.Calling = {}): Promise<readonly shapes.Answer[]> {
    if (commands.length < 1 || commands.length > BATCH_MAX) {
      throw new InvalidError(`a batch has 1 to ${BATCH_MAX} commands, not ${commands.length}: send several batches`);
    }
    const sent = commands.map(identified);
    const { answers } = await this.#answered(
      (signal) =>
        this.service.POST(`${MEMORY}/commands/batch`, {
          params: { path: this.path },
          body: { commands: sent },
          ...signal,
        }),
      calling.signal,
      sent,
    );
    return answers;
  }

  /** Ask for what matters most to a question. Nothing found is an answer too: see its `nothing`. */
  async getContext(query: string, asking: shapes.Asking = {}): Promise<shapes.Context> {
    const answer = await this.#ask("/context", query, asking, "objects");
    return expected<shapes.Context>(answer, "found");
  }

  /** Ask as `getContext` does, and return a text for a prompt, within `tokens_max`, and what its labels stand for. */
  async getPrompt(query: string, asking: shapes.Asking = {}): Promise<shapes.Prompt> {
    return expected<shapes.Prompt>(await this.#ask("/context", query, asking, "text"), "text");
  }

  /** Ask for situations like the one that is described: those that ended well, and those that ended badly. */
  async getSimilarCases(query: string, asking: shapes.Asking = {}): Promise<shapes.SimilarCases> {
    return expected<shapes.SimilarCases>(await this.#ask("/similar-cases", query, asking, "objects"), "good");
  }

  /** What is claimed now, or at `valid_at`: of a `subject`, by a `predicate`, about a `thing`. */
  claims({ signal, ...query }: shapes.ClaimsAsked = {}): Promise<shapes.Claims> {
    const params = { path: this.path, query };
    return this.#answered((ending) => this.service.GET(`${MEMORY}/claims`, { params, ...ending }), signal);
  }

  /** What was said under a `key`, or in place of one another around a `ref`, each with its status. */
  history({ signal, ...query }: shapes.HistoryAsked): Promise<shapes.History> {
    const params = { path: this.path, query };
    return this.#answered((ending) => this.service.GET(`${MEMORY}/history`, { params, ...ending }), signal);
  }

  /** Events and episodes, the latest first; the answer's `before` leads to earlier ones. */
  timeline({ signal, ...query }: shapes.TimelineAsked = {}): Promise<shapes.Timeline> {
    const params = { path: this.path, query };
    return this.#answered((ending) => this.service.GET(`${MEMORY}/timeline`, { params, ...ending }), signal);
  }

  /** Why an action was done: what led to it, what informed it, what came of it. */
  explainAction(id: string, { signal, ...query }: shapes.Reading = {}): Promise<shapes.Explanation> {
    const params = { path: { ...this.path, id }, query };
    return this.#answered((ending) => this.service.GET(`${MEMORY}/actions/{id}`, { params, ...ending }), signal);
  }

  /** One memory by its reference: an id, or `feature:NAME`. */
  describe(ref: string, { signal, ...query }: shapes.Reading = {}): Promise<shapes.Described> {
    const params = { path: { ...this.path, ref }, query };
    return this.#answered((ending) => this.service.GET(`${MEMORY}/nodes/{ref}`, { params, ...ending }), signal);
  }

  /** What became of a command; null when the service has not met it. */
  async became(id: string, { signal, ...query }: shapes.Reading = {}): Promise<shapes.Seen | null> {
    const params = { path: { ...this.path, id }, query };
    try {
      return await this.#answered(
        (ending) => this.service.GET(`${MEMORY}/commands/{id}`, { params, ...ending }),
        signal,
      );
    } catch (error) {
      if (error instanceof ServiceError && error.problem === "unknown_command") return null;
      throw error;
    }
  }

  /** The memory in numbers. */
  stats({ signal, ...query }: shapes.Reading = {}): Promise<shapes.Stats> {
    const params = { path: this.path, query };
    return this.#answered((ending) => this.service.GET(`${MEMORY}/stats`, { params, ...ending }), signal);
  }

  #ask(
    route: "/context" | "/similar-cases",
    query: string,
    { signal, ...asking }: shapes.Asking,
    format: "objects" | "text",
  ): Promise<object> {
    const sent = { params: { path: this.path }, body: { ...asking, query, format } };
    return this.#answered<object>((ending) => this.service.POST(`${MEMORY}${route}`, { ...sent, ...ending }), signal);
  }

  async #answered<T>(
    call: (ending: { signal?: AbortSignal }) => Promise<Answered<T>>,
    signal: AbortSignal | undefined,
    commands: readonly shapes.Command[] = [],
  ): Promise<T> {
    let answer: Answered<T>;
    try {
      answer = await call(signal ? { signal } : {});
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ServiceAwayError(this.#url, commands, error);
    }
    if (answer.data !== undefined) return answer.data;
    throw problemOf(answer.error, answer.response, this.#url, commands);
  }
}

const MEMORY = "/v1/memories/{tenant}/{agent}";

function saysSomething(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "";
}

function identified(command: shapes.Command): shapes.Command {
  return { ...command, id: command.id ?? uuid7() };
}

function saying({ id, session, at }: shapes.Saying): Pick<shapes.Command, "id" | "session" | "at"> {
  return given({ id, session, at });
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** What is there: a field that is undefined is left out. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

function expected<T extends object>(answer: object, field: keyof T & string): T {
  if (field in answer) return answer as T;
  throw new InvalidError(`the answer has no ${field}: is the service older than this client?`);
}

/** Return a key as it is sent, or none. Throws InvalidError without showing it: `fetch` would name the whole header. */
function usable(key: string | undefined): string | undefined {
  const plain = key?.trim();
  if (!plain) return undefined;
  if (!/^[!-~]+$/.test(plain)) {
    throw new InvalidError(
      "what was given as the key (YGGDRASIL_KEY, unless the program names another) can be none: it is one word " +
        "without quotes, as `yggdrasil key new` printed it",
    );
  }
  return plain;
}

function environment(name: string): string | undefined {
  return typeof process === "undefined" ? undefined : process.env[name];
}

