import { Page } from "../../ui/page.tsx";

export function NewJobPage() {
  return <Page title="New job">{null}</Page>;
}
