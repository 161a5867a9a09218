import type { Generated } from "../Generated.ts"
import { call } from "./call.ts"
import { credentials } from "./credentials.ts"
import { gateways } from "./gateways.ts"
import { rooms } from "./rooms.ts"
import { task } from "./task.ts"

/** The pictures of the documents. */
export const pictures: ReadonlyArray<Generated> = [call, credentials, gateways, rooms, task].map((picture) => ({
  file: `docs/images/${picture.name}.svg`,
  make: async () => picture.toString()
}))
