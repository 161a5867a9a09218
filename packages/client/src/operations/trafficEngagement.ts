import { trafficEngagement as operation } from "@tollgate/contract/operations/trafficEngagement"
import { call } from "../call.ts"

/** How visitors engage with a website. */
export const trafficEngagement = call(operation)
