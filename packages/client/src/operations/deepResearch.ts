import { deepResearch as operation } from "@tollgate/contract/operations/deepResearch"
import { call } from "../call.ts"

/** Searches and reasons over many sources. */
export const deepResearch = call(operation)
