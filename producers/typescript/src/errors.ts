/** What can go wrong. Every message says what to do about it. */

import type { Answer, Command, Problem } from "./shapes.ts";

const PROBLEM = "urn:yggdrasil:problem:";

/** What all errors of this package are. */
export class YggdrasilError extends Error {
  override readonly name: string = "YggdrasilError";
}

/** What was given cannot be meant; nothing was sent. */
export class InvalidError extends YggdrasilError {
  override readonly name = "InvalidError";
}

/** The service does not do what was asked: a problem of RFC 9457. */
export class ServiceError extends YggdrasilError {
  override readonly name: string = "ServiceError";
  /** The name of the kind, such as `unknown_node`; docs/service.md lists them. */
  readonly problem: string;
  /** That of HTTP. */
  readonly status: number;
  readonly detail: string;
  /** What to do. */
  readonly remedy: string;
  /** Of a malformed command: the reason that the memory would give. */
  readonly reason: string | null;
  /** What it is about, by name: of `unknown_node` the memory, the reference and its heir. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The id of the request, which the log of the service has too. */
  readonly request: string | null;
  /** When to try again, where the service says so. */
  readonly retry_after_s: number | null;

  constructor(said: Partial<Problem>, response: Response) {
    const detail = said.detail ?? `${origin(response)} answers ${response.status}, and not in our words`;
    const remedy = said.remedy ?? "See whether the address is that of `yggdrasil serve`, and what stands between.";
    super(`${detail.replace(/\.$/, "")}. ${remedy}`);
    this.problem = said.type?.replace(PROBLEM, "") ?? "unknown";
    this.status = response.status;
    this.detail = detail;
    this.remedy = remedy;
    this.reason = said.reason ?? null;
    this.arguments = said.arguments ?? {};
    this.request = response.headers.get("x-request-id");
    this.retry_after_s = retryAfter(response);
  }
}

/** The key opens nothing, or not this. */
export class AccessError extends ServiceError {
  override readonly name = "AccessError";
}

/** The memory did not take a command. It stays in the log; to mend it, send it under a new id. */
export class RefusedError extends YggdrasilError {
  override readonly name = "RefusedError";
  readonly id: string;
  readonly receipt: string;
  /** One of the closed list in docs/laws.md. */
  readonly reason: string;
  readonly detail: string;

  constructor(answer: Answer) {
    const detail = answer.detail ?? "";
    const told = `the memory refuses ${answer.id}: ${answer.reason ?? "unknown"}${detail && ` (${detail})`}`;
    super(`${told}. Mend it and send it under a new id`);
    this.id = answer.id;
    this.receipt = answer.receipt;
    this.reason = answer.reason ?? "unknown";
    this.detail = detail;
  }
}

/**
 * No service answers, or it has no place for this now. What was sent may have been taken all the same: `commands` may
 * be sent again, by `append` or `appendMany`, since they have ids and the memory takes an id once.
 */
export class ServiceAwayError extends YggdrasilError {
  override readonly name = "ServiceAwayError";
  readonly commands: readonly Command[];

  constructor(url: string, commands: readonly Command[], cause: unknown) {
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : "";
    super(
      `no service answers at ${url} (${why}). See whether \`yggdrasil serve\` runs there` +
        (commands.length ? "; sending the same commands again, as this error has them, is safe" : ""),
      { cause },
    );
    this.commands = commands;
  }
}

/** The error that an answer which is none says. */
export function problemOf(said: unknown, response: Response, url: string, commands: readonly Command[]): YggdrasilError {
  const told: Partial<Problem> = typeof said === "object" && said !== null ? said : {};
  if (response.status === 401 || response.status === 403) return new AccessError(told, response);
  const error = new ServiceError(told, response);
  const away = response.status === 429 || response.status === 503;
  return away && commands.length ? new ServiceAwayError(url, commands, error) : error;
}

/** Seconds, where the answer says when to come again. */
export function retryAfter(response: Response): number | null {
  const said = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(said) ? Number(said) : null;
}

function origin(response: Response): string {
  return response.url ? new URL(response.url).origin : "the service";
}
