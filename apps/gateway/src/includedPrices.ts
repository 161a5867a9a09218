import { fileURLToPath } from "node:url"

/** The price list that comes with this version. */
export const includedPrices = (): string => fileURLToPath(new URL("../prices.json", import.meta.url))
