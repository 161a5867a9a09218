import * as Layer from "effect/Layer"
import { askingTools } from "./askingTools.ts"
import { contentTools } from "./contentTools.ts"
import { inputTools } from "./inputTools.ts"
import { notifyingTools } from "./notifyingTools.ts"
import { prompts } from "./prompts.ts"
import { resources } from "./resources.ts"

/** The tools, resources and prompts that the public conformance suite of MCP expects of a server. */
export const fixtures = Layer.mergeAll(contentTools, notifyingTools, askingTools, inputTools, resources, prompts)
