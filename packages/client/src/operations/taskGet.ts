import { taskGet as operation } from "@tollgate/contract/operations/taskGet"
import { call } from "../call.ts"

/** How far a task has come. */
export const taskGet = call(operation)
