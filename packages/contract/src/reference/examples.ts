import type { Examples } from "./Example.ts"
import { account } from "./examples/account.ts"
import { contracts } from "./examples/contracts.ts"
import { data } from "./examples/data.ts"
import { models } from "./examples/models.ts"
import { video } from "./examples/video.ts"

/** Example requests for every operation. Those of a new operation go into `examples/`. */
export const examples: Examples = { ...account, ...models, ...data, ...video, ...contracts }
