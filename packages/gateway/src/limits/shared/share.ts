import type { Principal } from "../../books/credential/Keys.ts"
import type { Demand } from "../Demand.ts"

/** One gateway's part of a limit. */
const part = (limit: number, gateways: number): number => Math.ceil(limit / gateways)

/** The limits that one of several gateways applies while the shared ones are gone. */
export const shareOf = (principal: Principal, gateways: number): Principal => {
  const { concurrency, rpm, tpm } = principal.allowance
  return {
    ...principal,
    allowance: { rpm: part(rpm, gateways), tpm: part(tpm, gateways), concurrency: part(concurrency, gateways) }
  }
}

export const demandShare = ({ concurrent, group }: Demand, gateways: number): Demand =>
  group === undefined ? { concurrent } : { concurrent, group: { id: group.id, rpm: part(group.rpm, gateways) } }
