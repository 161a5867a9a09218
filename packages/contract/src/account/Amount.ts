/** Micro-USD: a number, or a string of digits if a number would be inexact. */
export type Amount = number | string
