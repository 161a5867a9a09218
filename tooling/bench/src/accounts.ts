/** The accounts that the ledgers of a bench share. Each has one key. */
export const accounts = Array.from({ length: 50 }, (_, i) => `acct_${i}`)
