/** What is sent and answered, by name: all of it generated from the OpenAPI document of the service. */

import type { components, operations } from "./openapi.ts";

type Shapes = components["schemas"];

/** Any command, as the service takes it; each has an `id` when it is sent. */
export type Command = operations["append"]["requestBody"]["content"]["application/json"];
export type Answer = Shapes["CommandAnswer"];
export type Seen = Shapes["CommandSeen"];
export type Context = Shapes["Context"];
export type Prompt = Shapes["Prompt"];
export type SimilarCases = Shapes["SimilarCases"];
export type Claims = Shapes["Claims"];
export type History = Shapes["History"];
export type Explanation = Shapes["Explanation"];
export type Described = Shapes["Described"];
export type Timeline = Shapes["Timeline"];
export type Stats = Shapes["StatsAnswer"];
export type Problem = Shapes["Problem"];
export type Where = Shapes["WhereSent"];
export type Verdict = Shapes["Judged"]["verdict"];
export type ClaimObject = Shapes["ClaimObject"];
/** A value that is a text: no thing, no number, and no yes or no. */
export interface ClaimText {
  readonly text: string;
}
export type Content = Shapes["ClearContent"];

/** What every call takes: a signal that ends it. */
export interface Calling {
  readonly signal?: AbortSignal | undefined;
}

/** What every read takes: the receipt of what the answer must have folded, and how long to wait for that. */
export interface Reading extends Calling {
  readonly after?: string;
  readonly deadline_s?: number;
}

/** How a question is asked. */
export type Asking = Omit<Shapes["AskSent"], "query" | "format"> & Calling;
export type ClaimsAsked = NonNullable<operations["claims"]["parameters"]["query"]> & Calling;
export type TimelineAsked = NonNullable<operations["timeline"]["parameters"]["query"]> & Calling;
export type HistoryAsked = NonNullable<operations["history"]["parameters"]["query"]> & Calling;

/** What every command takes beside what it says. `at` is when it happened, in Unix ms; `id` a UUIDv7 of your own. */
export interface Saying extends Calling {
  readonly id?: string;
  readonly session?: string;
  readonly at?: number;
}

export type EventSaid = Saying & Partial<Shapes["RecordEventBody"]> & Omit<Content, "text" | "object">;
export type OutcomeSaid = Saying & Omit<Partial<Shapes["LogOutcomeBody"]>, "event" | "value"> & Pick<Content, "text">;
export type UseSaid = Saying & Omit<Partial<Shapes["ReportUseBody"]>, "recall" | "used">;
export type ClaimSaid = Saying &
  Omit<Partial<Shapes["AssertClaimBody"]>, "subject" | "predicate" | "object"> &
  Pick<Content, "text">;

/**
 * A command that is in the log. `receipt` is what reads take as `after`. `seq` is its place in the memory: null when the
 * service did not have it folded in time, and then `became` tells later whether the memory took it.
 */
export interface Taken {
  readonly id: string;
  readonly receipt: string;
  readonly seq: number | null;
}
