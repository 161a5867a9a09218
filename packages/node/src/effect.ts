// For programs that write effects: they install `effect` and `@tollgate/client` beside this package.

export * from "@tollgate/client"
export * as NodeCarrier from "./Carrier.ts"
export { createClient } from "./Client.ts"
export * as NodeClient from "./Client.ts"
