import { modelList as operation } from "@tollgate/contract/operations/modelList"
import { call } from "../call.ts"

/** The models that can be called. */
export const modelList = call(operation)
