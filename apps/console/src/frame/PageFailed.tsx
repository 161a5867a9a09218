import type { ErrorComponentProps } from "@tanstack/react-router"
import { Notice } from "../ui/Notice.tsx"

/** The page's own code failed, or could not be loaded. */
export const PageFailed = ({ error }: ErrorComponentProps) => (
  <Notice kind="bad" title="This page could not be shown">
    <p>{error instanceof Error ? error.message : String(error)}</p>
    <p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Load it again
      </button>
    </p>
  </Notice>
)
