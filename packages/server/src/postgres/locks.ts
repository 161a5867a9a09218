/** Advisory locks of the database. The numbers say nothing; they only have to differ. */

/** Held by the gateway that uses the store. */
export const gatewayLock = "7405318264191"

/** Shared by the connections of that gateway: a gateway that takes over waits until they are gone. */
export const sessionLock = "7405318264192"
