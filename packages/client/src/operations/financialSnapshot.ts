import { financialSnapshot as operation } from "@tollgate/contract/operations/financialSnapshot"
import { call } from "../call.ts"

/** Financial metrics of a company as they stand. */
export const financialSnapshot = call(operation)
