import { contractVersion as operation } from "@tollgate/contract/operations/contractVersion"
import { call } from "../call.ts"

/** Which contract is served. */
export const contractVersion = call(operation)
