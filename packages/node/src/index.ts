export * from "@tollgate/client"
export * as NodeCarrier from "./Carrier.ts"
export { createClient } from "./Client.ts"
export * as NodeClient from "./Client.ts"
