/** Requests: bounded in time, sent again while the service is busy, and once more when a connection was cut. */

import { retryAfter } from "./errors.ts";

export type Send = (request: Request) => Promise<Response>;

const PAUSE_S = 1;

/** Send, and send again while the service says that it is busy, as long as `patience_ms` allows. */
export function patient(send: Send, patience_ms: number, timeout_ms: number): Send {
  return async (request) => {
    const until = performance.now() + patience_ms;
    for (;;) {
      const answer = await once(send, request, timeout_ms);
      if (answer.status !== 429 && answer.status !== 503) return answer;
      const pause_ms = 1000 * (retryAfter(answer) ?? PAUSE_S);
      if (performance.now() + pause_ms > until) return answer;
      await answer.body?.cancel();
      await pause(pause_ms, request.signal);
    }
  };
}

/** A connection that was kept may be closed by the other side just now: then it is sent on another one. */
async function once(send: Send, request: Request, timeout_ms: number): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeout_ms)]);
  try {
    return await send(new Request(request.clone(), { signal }));
  } catch (error) {
    if (signal.aborted || !(error instanceof TypeError)) throw error;
    return await send(new Request(request.clone(), { signal }));
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
