import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { generateText } from "ai";

import { withMemory } from "../src/ai/index.ts";
import { connect, ServiceAwayError } from "../src/index.ts";
import { answering } from "./models.ts";

const FAR_MS = 5_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let silent: Server; // takes connections, and never answers; `half` begins an answer that does not end
let half: Server;
let collecting: NodeJS.Timeout;

function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function url(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

before(async () => {
  silent = await listening(createServer((socket) => socket.resume()));
  half = await listening(
    createServer((socket) => socket.resume().write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")),
  );
  collecting = setInterval(collect, 10);
});
after(() => {
  clearInterval(collecting);
  for (const server of [silent, half]) server.close();
});

for (const [how, at] of [["does not answer", () => silent], ["does not end its answer", () => half]] as const) {
  test(`a call ends in its time where a service ${how}, whatever is collected meanwhile`, async () => {
    const memory = connect(url(at()), { memory: "me/agent", timeout_ms: 200 });
    const began = performance.now();
    await assert.rejects(memory.stats(), ServiceAwayError);
    assert.ok(performance.now() - began < FAR_MS);
  });

  test(`a caller ends its own call where a service ${how}`, async () => {
    const memory = connect(url(at()), { memory: "me/agent" });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 200);
    const began = performance.now();
    await assert.rejects(memory.recordEvent("It rained", { signal: controller.signal }));
    assert.ok(performance.now() - began < FAR_MS);
  });

  test(`a model goes on where a service ${how}`, async () => {
    const errors: string[] = [];
    const memory = connect(url(at()), { memory: "me/agent" });
    const model = withMemory(answering("Done."), memory, { timeout_ms: 200, onError: (_, during) => errors.push(during) });
    const began = performance.now();
    assert.equal((await generateText({ model, prompt: "Go on" })).text, "Done.");
    assert.ok(performance.now() - began < FAR_MS);
    assert.deepEqual(errors, ["recall", "record"]);
  });
}
