const prefix = "machine_"

export const machineId = (random: string): string => `${prefix}${random}`

/** Whether a client is a machine, which the operator made. Registered clients have shorter ids, and issuers name theirs otherwise. */
export const isMachineId = (id: string): boolean => /^machine_[0-9a-f]{20}$/.test(id)
