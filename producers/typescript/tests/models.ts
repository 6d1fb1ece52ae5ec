/** Models of the AI SDK's own tests, which answer what they are told to. */

import { MockLanguageModelV4, simulateReadableStream } from "ai/test";

type Generate = Extract<ConstructorParameters<typeof MockLanguageModelV4>[0], object>["doGenerate"];
type Generated = Exclude<NonNullable<Generate>, readonly unknown[] | ((...given: never[]) => unknown)>;
type Content = Generated["content"];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Answers with each of `texts`, and then with the last one for ever. */
export function answering(...texts: string[]): MockLanguageModelV4 {
  return saying(...texts.map((text): Content => [{ type: "text", text }]));
}

/** Gives each of `contents`, and then the last one for ever. */
export function saying(...contents: Content[]): MockLanguageModelV4 {
  let at = 0;
  return new MockLanguageModelV4({
    doGenerate: () => {
      const content = contents[Math.min(at++, contents.length - 1)] ?? [];
      const unified = content.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
      return Promise.resolve({ content, finishReason: { unified, raw: unified }, usage: USAGE, warnings: [] });
    },
  });
}

/** Streams `pieces`, up to an error if one of them is. */
export function streaming(...pieces: (string | Error)[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: () =>
      Promise.resolve({
        stream: simulateReadableStream({
          initialDelayInMs: null,
          chunkDelayInMs: null,
          chunks: [
            { type: "stream-start" as const, warnings: [] },
            { type: "text-start" as const, id: "1" },
            ...pieces.map((piece) =>
              piece instanceof Error
                ? { type: "error" as const, error: piece }
                : { type: "text-delta" as const, id: "1", delta: piece },
            ),
            ...(pieces.some((piece) => piece instanceof Error)
              ? []
              : [
                  { type: "text-end" as const, id: "1" },
                  { type: "finish" as const, finishReason: { unified: "stop" as const, raw: "stop" }, usage: USAGE },
                ]),
          ],
        }),
      }),
  });
}

/** What a model was sent: all the words of its last prompt that are the user's or the system's. */
export function lastPrompt(model: MockLanguageModelV4): string {
  const call = [...model.doGenerateCalls, ...model.doStreamCalls].at(-1);
  return (call?.prompt ?? [])
    .flatMap((message) => {
      if (message.role === "system") return [message.content];
      return message.role === "user" ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [];
    })
    .join("\n");
}
