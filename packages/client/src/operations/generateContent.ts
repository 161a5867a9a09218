import { generateContent as operation } from "@tollgate/contract/operations/generateContent"
import { call } from "../call.ts"

/** Generates content, in the Gemini style. */
export const generateContent = call(operation)
