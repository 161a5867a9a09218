const listeners = new Set<() => void>()

/** Says that a call ended, so that what it changed is asked for at once. */
export const callEnded = (): void => {
  for (const listener of listeners) listener()
}

export const onCallEnded = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
