import type { Fields } from "./values.ts"

/** What each call costs: `free`, `pending`, or an amount of USD as it was typed. */
export type ImportPrice = "free" | "pending" | { readonly amount: string }

export const priceOf = (price: ImportPrice): Fields | string => (typeof price === "string" ? price : { ...price })

/**
 * A POST or PATCH may change something each time, so it is never repeated when nobody knows whether it ran. The others keep the
 * default of the configuration: HTTP promises that a second GET, PUT or DELETE changes nothing more.
 */
export const replayOf = (method: string): "create" | undefined =>
  method === "POST" || method === "PATCH" ? "create" : undefined
