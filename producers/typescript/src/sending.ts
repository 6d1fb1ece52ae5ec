/** Requests: bounded in time, sent again while the service is busy, and once more when a connection was cut. */

import { retryAfter } from "./errors.ts";

export type Send = (request: Request) => Promise<Response>;

const PAUSE_S = 1;

/** Requests under way. Held, since `fetch` holds no request that it is given: one that is collected is not aborted. */
const UNDER_WAY = new Set<Request>();

/** Send, and send again while the service says that it is busy, as long as `patience_ms` allows. */
export function patient(send: Send, patience_ms: number, timeout_ms: number): Send {
  return async (request) => {
    const until = performance.now() + patience_ms;
    for (;;) {
      const answer = await once(send, request, timeout_ms);
      if (answer.status !== 429 && answer.status !== 503) return answer;
      const pause_ms = 1000 * (retryAfter(answer) ?? PAUSE_S);
      if (performance.now() + pause_ms > until) return answer;
      await pause(pause_ms, request.signal);
    }
  };
}

/**
 * Do `work` until `signal` is aborted, or `timeout_ms` have passed: then it is told, and is not waited for. A signal of
 * `AbortSignal.any` or `AbortSignal.timeout` does not do here: nothing holds it, and a collection of garbage can lose it.
 */
export async function within<T>(
  timeout_ms: number,
  signal: AbortSignal | undefined,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = (reason: unknown): void => controller.abort(reason);
  const stop = (): void => end(signal?.reason);
  const late = (): void => end(new DOMException(`it took longer than ${timeout_ms} ms`, "TimeoutError"));
  const timer = setTimeout(late, timeout_ms);
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), { once: true });
  });
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** A connection that was kept may be closed by the other side just now: then it is sent on another one. */
function once(send: Send, request: Request, timeout_ms: number): Promise<Response> {
  return within(timeout_ms, request.signal, async (signal) => {
    try {
      return await whole(send, request, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof TypeError)) throw error;
      return await whole(send, request, signal);
    }
  });
}

/** Send, and read the answer to its end, so that its bound holds for all of it. */
async function whole(send: Send, request: Request, signal: AbortSignal): Promise<Response> {
  const sent = new Request(request.clone(), { signal });
  UNDER_WAY.add(sent);
  try {
    const answer = await send(sent);
    const { status, statusText, headers, url } = answer;
    const body = answer.body === null ? null : await answer.arrayBuffer();
    return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url });
  } finally {
    UNDER_WAY.delete(sent);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
