import { deepResearch as operation } from "@tollgate/contract/operations/deepResearch"
import { withUsage } from "./openai.ts"
import { openai as protocol } from "./Protocol.ts"
import { streaming } from "./streaming.ts"

/** Searches and reasons over many sources, while the answer is made. Its path is bound in the client's options. */
export const deepResearchStream = streaming({ operation, protocol, input: withUsage })
