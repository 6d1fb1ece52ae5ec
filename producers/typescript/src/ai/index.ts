/** For the AI SDK (`ai`): a model that remembers, and tools for one that keeps its memory itself. */

export { memoryMiddleware, type Recorded, type Remembering, withMemory } from "./middleware.ts";
export type { Done } from "./prompts.ts";
export { memoryTools, type ToolOptions } from "./tools.ts";
