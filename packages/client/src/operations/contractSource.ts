import { contractSource as operation } from "@tollgate/contract/operations/contractSource"
import { call } from "../call.ts"

/** The contract, whole or for one operation. */
export const contractSource = call(operation)
