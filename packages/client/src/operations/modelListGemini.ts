import { modelListGemini as operation } from "@tollgate/contract/operations/modelListGemini"
import { call } from "../call.ts"

/** The models that can be called, in the Gemini style. */
export const modelListGemini = call(operation)
