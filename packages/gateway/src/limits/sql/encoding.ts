/** How many numbers a command has, and an answer. */
export const commandWidth = 9
export const answerWidth = 5

/** What a command is. */
export const opcodes = { take: 0, end: 1, endAndCorrect: 2 } as const

/** In place of a number that a command does not have. */
export const none = -1
/** In place of the most leases: they are only counted. */
export const countOnly = -2
