import { Button } from "../../../ui/Button.tsx"
import { ErrorNotice } from "../../../ui/Notice.tsx"
import { signOutOperator } from "../operatorSession.ts"

const isRefused = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Unauthenticated"

/** What could not be loaded, and the way out: the token may have been changed by a restart. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <ErrorNotice error={error}>
    <p>
      {isRefused(error) ? (
        <Button onClick={signOutOperator}>Sign in again</Button>
      ) : (
        <Button onClick={retry}>Try again</Button>
      )}
    </p>
  </ErrorNotice>
)
