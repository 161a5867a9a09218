import { Link } from "@tanstack/react-router"
import { Page } from "../ui/Page.tsx"

export const MissingPage = () => (
  <Page title="There is no such page" lead="The address may be misspelt, or of another version of the console.">
    <Link className="button" to="/">
      Go to the overview
    </Link>
  </Page>
)
