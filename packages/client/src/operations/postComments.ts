import { postComments as operation } from "@tollgate/contract/operations/postComments"
import { call } from "../call.ts"

/** Top-level comments of a post. */
export const postComments = call(operation)
