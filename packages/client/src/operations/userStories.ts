import { userStories as operation } from "@tollgate/contract/operations/userStories"
import { call } from "../call.ts"

/** Stories of a user. */
export const userStories = call(operation)
