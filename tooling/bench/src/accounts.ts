/** The accounts that the ledgers of a bench share. Each has one key. */
export const accounts = Array.from({ length: 50 }, (_, i) => `acct_${i}`)

/** How a ledger commits on PostgreSQL: by its function, in two round trips, or statement by statement. */
export type Path = "function" | "two trips" | "statements"
