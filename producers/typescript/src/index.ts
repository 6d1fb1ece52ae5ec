/** The client of Yggdrasil, a governed long-term memory for AI agents. `yggdrasil-substrate/ai` is for the AI SDK. */

export * from "./errors.ts";
export { uuid7 } from "./ids.ts";
export { connect, type Connecting, Memory } from "./memory.ts";
export type { components, operations, paths } from "./openapi.ts";
export type { Send } from "./sending.ts";
export type * from "./shapes.ts";
