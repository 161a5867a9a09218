import { Button, ErrorNotice } from "../../../ui/kit.tsx"

/** What could not be loaded. A refused session leads to the sign-in by itself. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <ErrorNotice error={error}>
    <p>
      <Button onClick={retry}>Try again</Button>
    </p>
  </ErrorNotice>
)
