import { CallAborted } from "@tollgate/client"

/** The error of a call that was aborted. Any other error is thrown on. */
export const failure = async (promise: Promise<unknown>): Promise<CallAborted> => {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error
  )
  if (!(error instanceof CallAborted)) throw error
  return error
}
