import { cachedAnswer as operation } from "@tollgate/contract/operations/cachedAnswer"
import { call } from "../call.ts"

/** An earlier answer, read again at no charge. */
export const cachedAnswer = call(operation)
