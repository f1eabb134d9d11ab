import { Page } from "../../ui/page.tsx";

export function TimelinePage() {
  return <Page title="Timeline">{null}</Page>;
}
