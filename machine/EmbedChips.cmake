# Writes the texts of chip files into a header: cmake -DCHIPS=FOLDER -DOUTPUT=FILE -P EmbedChips.cmake
# A chip file may not contain the end of a raw string, `)chip"`, which no JSON of ours does.

file(GLOB chips ${CHIPS}/*.json)
list(SORT chips)
set(rows "")
foreach(chip IN LISTS chips)
  get_filename_component(name ${chip} NAME_WE)
  file(READ ${chip} text)
  string(APPEND rows "    {\"${name}\", R\"chip(${text})chip\"},\n")
endforeach()
file(WRITE ${OUTPUT}
  "// Written by machine/EmbedChips.cmake from machine/chips.\n\n#include \"machine/MachineFile.h\"\n\n"
  "namespace kiln::machine {\ninline constexpr StockMachine stockTexts[] = {\n${rows}};\n} // namespace kiln::machine\n")
