import { salesData as operation } from "@tollgate/contract/operations/salesData"
import { call } from "../call.ts"

/** The last verified snapshot of sales data. `sourceState` reads what its 503 says. */
export const salesData = call(operation)
