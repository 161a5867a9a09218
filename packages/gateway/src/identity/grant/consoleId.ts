/** The client id of the gateway's own console at the built-in authorization server. */
export const consoleId = "console"
