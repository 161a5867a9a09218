import type { Generated } from "../Generated.ts"
import { approval } from "./approval.ts"
import { call } from "./call.ts"
import { configuration } from "./configuration.ts"
import { credentials } from "./credentials.ts"
import { gateways } from "./gateways.ts"
import { retry } from "./retry.ts"
import { rooms } from "./rooms.ts"
import { states } from "./states.ts"
import { task } from "./task.ts"

const drawn = [approval, call, configuration, credentials, gateways, retry, rooms, states, task]

/** The pictures of the documents. */
export const pictures: ReadonlyArray<Generated> = drawn.map((picture) => ({
  file: `docs/images/${picture.name}.svg`,
  make: async () => picture.toString()
}))
