import { tagDetail as operation } from "@tollgate/contract/operations/tagDetail"
import { call } from "../call.ts"

/** What a tag is about. */
export const tagDetail = call(operation)
