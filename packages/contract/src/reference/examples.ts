import type { Examples } from "./Example.ts"
import { account } from "./examples/account.ts"
import { contracts } from "./examples/contracts.ts"
import { data } from "./examples/data.ts"
import { models } from "./examples/models.ts"
import { video } from "./examples/video.ts"

/** Requests to try each operation with. A new operation has its own in `examples/`. */
export const examples: Examples = { ...account, ...models, ...data, ...video, ...contracts }
