const prefix = "gr_"

export const grantId = (random: string): string => `${prefix}${random}`

/** Whether a key's id is that of a grant: in the ledger a grant is a key. */
export const isGrantId = (id: string): boolean => id.startsWith(prefix)
