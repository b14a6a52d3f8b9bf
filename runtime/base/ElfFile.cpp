//===- ElfFile.cpp - the few facts of an ELF file that loading needs ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/ElfFile.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"

#include <cstring>
#include <elf.h>
#include <sys/stat.h>

namespace kiln {
namespace {

constexpr uint64_t largestNotes = 1 << 20;

Error notShared(const std::string &path, std::string found) {
  return makeError(ErrorKind::Invalid, "file '" + path + "'", std::move(found),
                   "a shared object for x86-64");
}

struct Headers {
  uint64_t fileBytes = 0;
  std::vector<Elf64_Phdr> programs;
};

Result<Headers> readHeaders(int descriptor, const std::string &path) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return systemError("file '" + path + "'", "examine it");
  if (!S_ISREG(status.st_mode))
    return notShared(path, "is not a regular file");
  Headers headers;
  headers.fileBytes = static_cast<uint64_t>(status.st_size);
  Elf64_Ehdr elf;
  if (headers.fileBytes < sizeof elf)
    return notShared(path, "has " + std::to_string(headers.fileBytes) + " bytes");
  if (Result<void> read = readAt(descriptor, path, 0, &elf, sizeof elf); !read)
    return read.takeError();
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
    return notShared(path, "is not an ELF file");
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != ELFDATA2LSB ||
      elf.e_machine != EM_X86_64 || elf.e_type != ET_DYN)
    return notShared(path, "is an ELF file of another kind or machine");
  uint64_t size = uint64_t(elf.e_phnum) * sizeof(Elf64_Phdr);
  if (elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phoff > headers.fileBytes ||
      size > headers.fileBytes - elf.e_phoff)
    return notShared(path, "is damaged: its program headers lie outside the file");
  headers.programs.resize(elf.e_phnum);
  if (Result<void> read = readAt(descriptor, path, elf.e_phoff, headers.programs.data(), size);
      !read)
    return read.takeError();
  for (const Elf64_Phdr &program : headers.programs)
    if (program.p_offset > headers.fileBytes ||
        program.p_filesz > headers.fileBytes - program.p_offset)
      return notShared(path, "is cut off: a segment lies beyond its end");
  return headers;
}

/// The build id in a block of notes; empty if it holds none.
std::string findBuildId(const std::vector<uint8_t> &notes) {
  auto aligned = [](uint64_t size) { return (size + 3) & ~uint64_t(3); };
  uint64_t at = 0;
  while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    uint64_t name = at + sizeof note;
    uint64_t contents = name + aligned(note.n_namesz);
    uint64_t end = contents + aligned(note.n_descsz);
    if (contents + note.n_descsz > notes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return toHex({notes.data() + contents, note.n_descsz});
    if (end >= notes.size())
      break;
    at = end;
  }
  return {};
}

} // namespace

Result<std::string> readBuildId(const std::string &path) {
  Result<FileDescriptor> file = openForReading(path);
  if (!file)
    return file.takeError();
  Result<Headers> headers = readHeaders(file->get(), path);
  if (!headers)
    return headers.takeError();
  for (const Elf64_Phdr &program : headers->programs) {
    if (program.p_type != PT_NOTE || program.p_filesz > largestNotes)
      continue;
    std::vector<uint8_t> notes(program.p_filesz);
    if (Result<void> read = readAt(file->get(), path, program.p_offset, notes.data(), notes.size());
        !read)
      return read.takeError();
    if (std::string id = findBuildId(notes); !id.empty())
      return id;
  }
  return makeError(ErrorKind::Invalid, "file '" + path + "'", "has no build id",
                   "a library linked with --build-id");
}

Result<void> checkSharedObject(int descriptor, const std::string &path) {
  Result<Headers> headers = readHeaders(descriptor, path);
  if (!headers)
    return headers.takeError();
  return {};
}

} // namespace kiln
