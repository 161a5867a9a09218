import { imageGenerate as operation } from "@tollgate/contract/operations/imageGenerate"
import { call } from "../call.ts"

/** Generates an image. */
export const imageGenerate = call(operation)
